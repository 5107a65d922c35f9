// The Python module minirt._C. It holds none of the runtime: everything is called in the libraries
// of minirt/lib, which C++ programs use too.
#include <minirt/backend.h>
#include <minirt/error.h>
#include <minirt/kernel.h>
#include <minirt/program.h>
#include <minirt/threadpool.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace {

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < minirt::get_num_registered_backends(); ++i) {
    names.emplace_back(minirt::get_backend_name(i));
  }
  return names;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const minirt::Kernel& kernel : minirt::get_registered_kernels()) {
    names.emplace_back(kernel.name);
  }
  return names;
}

std::vector<float> values_of(const minirt::Tensor& tensor) {
  const float* const data = tensor.data<float>();
  return {data, data + tensor.count()};
}

std::vector<minirt::Tensor> execute(minirt::Method& method, const std::vector<minirt::Tensor>& inputs) {
  const py::gil_scoped_release unlocked;
  return method.execute(inputs);
}

}  // namespace

PYBIND11_MODULE(_C, module) {
  module.doc() = "Bindings of the minirt runtime.";
  py::register_exception<minirt::Error>(module, "Error", PyExc_RuntimeError);

  py::class_<minirt::Tensor>(module, "Tensor", "A dense float tensor: a shape, and its values in row-major order.")
      .def(py::init<minirt::Shape, const std::vector<float>&>(), py::arg("shape"), py::arg("values"))
      .def_property_readonly("shape", &minirt::Tensor::shape)
      .def_property_readonly("values", &values_of);

  py::class_<minirt::Method>(module, "Method", "A program file, ready to run.")
      .def(py::init([](const std::string& path) { return minirt::Method(minirt::Program::load(path)); }),
           py::arg("path"))
      .def("execute", &execute, py::arg("inputs"));

  module.def("backends", &backend_names, "Names of the registered backends.");
  module.def("operators", &operator_names, "Names of the registered operators.");
  module.def("thread_count", &minirt::get_thread_count, "Threads that share a loop.");
}
